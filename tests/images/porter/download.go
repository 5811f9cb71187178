// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	// Porter makes what it installs usable for its user and its group.
	programMode   = 0o770
	directoryMode = 0o770

	attempts = 3
)

// The first pause between two attempts; each further one is twice as long.
var firstPause = time.Second

// fetch starts a download. Only connections that break are tried again; an
// answer with an error status is final.
func fetch(address *url.URL) (io.ReadCloser, error) {
	var lastErr error
	for attempt := range attempts {
		if attempt > 0 {
			time.Sleep(firstPause << (attempt - 1))
		}
		response, err := http.Get(address.String())
		if err == nil && response.StatusCode == http.StatusOK {
			return response.Body, nil
		}
		if err == nil {
			response.Body.Close()
			return nil, fmt.Errorf("bad status returned when downloading %s (%d) %s",
				address, response.StatusCode, response.Status)
		}
		if !worthRetrying(err) {
			return nil, fmt.Errorf("error downloading %s: %w", address, err)
		}
		lastErr = err
	}
	return nil, fmt.Errorf("failed to download %s after %d attempts: %w", address, attempts, lastErr)
}

func worthRetrying(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		strings.Contains(err.Error(), "TLS handshake timeout")
}

func fetchAll(address *url.URL) ([]byte, error) {
	body, err := fetch(address)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	return io.ReadAll(body)
}

// fetchProgram downloads an executable file. If that fails in the middle, a
// directory that was made for it goes again.
func fetchProgram(address *url.URL, path string) error {
	body, err := fetch(address)
	if err != nil {
		return err
	}
	defer body.Close()
	directory := filepath.Dir(path)
	_, err = os.Stat(directory)
	isNew := errors.Is(err, os.ErrNotExist)
	if err := os.MkdirAll(directory, directoryMode); err != nil {
		return fmt.Errorf("unable to create parent directory %s: %w", directory, err)
	}
	err = writeProgram(path, body)
	if err != nil && isNew {
		os.RemoveAll(directory)
	}
	return err
}

func writeProgram(path string, content io.Reader) error {
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("could not create the file at %s: %w", path, err)
	}
	defer file.Close()
	if err := os.Chmod(path, programMode); err != nil {
		return fmt.Errorf("could not set the file as executable at %s: %w", path, err)
	}
	if _, err := io.Copy(file, content); err != nil {
		return fmt.Errorf("error writing the file to %s: %w", path, err)
	}
	return nil
}
