// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// serve answers the nth request with the nth handler, then with the last.
func serve(t *testing.T, handlers ...http.HandlerFunc) (*url.URL, *int) {
	t.Helper()
	count := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler := handlers[min(count, len(handlers)-1)]
		count++
		handler(w, r)
	}))
	t.Cleanup(server.Close)
	address, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return address, &count
}

// hangUp ends the connection without an answer.
func hangUp(http.ResponseWriter, *http.Request) {
	panic(http.ErrAbortHandler)
}

func ok(w http.ResponseWriter, _ *http.Request) {
	fmt.Fprint(w, "content")
}

func cutShort(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "100")
	fmt.Fprint(w, "half")
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

func withoutPauses(t *testing.T) {
	t.Helper()
	old := firstPause
	firstPause = time.Millisecond
	t.Cleanup(func() { firstPause = old })
}

func TestBrokenConnectionIsTriedThreeTimes(t *testing.T) {
	withoutPauses(t)
	address, count := serve(t, hangUp)
	_, err := fetchAll(address)
	if err == nil || !strings.HasPrefix(err.Error(), fmt.Sprintf("failed to download %s after 3 attempts: ", address)) {
		t.Errorf("unexpected error: %v", err)
	}
	if *count != 3 {
		t.Errorf("%d requests, want 3", *count)
	}
}

func TestThirdAttemptCanSucceed(t *testing.T) {
	withoutPauses(t)
	address, _ := serve(t, hangUp, hangUp, ok)
	content, err := fetchAll(address)
	if err != nil || string(content) != "content" {
		t.Errorf("got %q, %v", content, err)
	}
}

func TestErrorStatusIsFinal(t *testing.T) {
	withoutPauses(t)
	for _, code := range []int{400, 404, 429, 500, 503} {
		address, count := serve(t, status(code), ok)
		if _, err := fetchAll(address); err == nil {
			t.Errorf("status %d was no error", code)
		}
		if *count != 1 {
			t.Errorf("status %d: %d requests, want 1", code, *count)
		}
	}
}

func TestRefusedConnectionIsFinal(t *testing.T) {
	firstPauseIsNeverUsed := time.Hour
	old := firstPause
	firstPause = firstPauseIsNeverUsed
	defer func() { firstPause = old }()
	address, _ := url.Parse("http://127.0.0.1:1/")
	if _, err := fetchAll(address); err == nil || !strings.HasPrefix(err.Error(), "error downloading ") {
		t.Errorf("unexpected error: %v", err)
	}
}

func TestHandshakeTimeoutIsWorthRetrying(t *testing.T) {
	for text, want := range map[string]bool{"net/http: TLS handshake timeout": true, "x509: unknown authority": false} {
		if got := worthRetrying(errors.New(text)); got != want {
			t.Errorf("%s: got %v", text, got)
		}
	}
	if !worthRetrying(fmt.Errorf("wrapped: %w", io.ErrUnexpectedEOF)) {
		t.Error("an unexpected end is worth another attempt")
	}
}

func TestHalfADownloadLeavesNothing(t *testing.T) {
	address, _ := serve(t, cutShort)
	directory := filepath.Join(t.TempDir(), "azure")
	if err := fetchProgram(address, filepath.Join(directory, "azure")); err == nil {
		t.Fatal("half a download was no error")
	}
	if _, err := os.Stat(directory); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the directory is still there: %v", err)
	}
}

func TestPluginWithoutItsSecondProgramIsRemoved(t *testing.T) {
	address, _ := serve(t, ok, status(404))
	a := &app{home: t.TempDir()}
	other := filepath.Join(a.pluginsDirectory(), "kubernetes")
	if err := os.MkdirAll(other, 0o770); err != nil {
		t.Fatal(err)
	}
	if err := a.download("azure", address, address); err == nil {
		t.Fatal("a missing program was no error")
	}
	entries, err := os.ReadDir(a.pluginsDirectory())
	if err != nil || len(entries) != 1 || entries[0].Name() != "kubernetes" {
		t.Errorf("left: %v, %v", entries, err)
	}
}
