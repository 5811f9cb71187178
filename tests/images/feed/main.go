// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

// Command feed stands in for a place on the network that publishes plugins.
// How it behaves is chosen by the first parts of the URL; see the README.
package main

import (
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	address := flag.String("address", os.Getenv("FEED_ADDRESS"), "address to listen on; empty for all (FEED_ADDRESS)")
	port := flag.String("port", firstOf(os.Getenv("FEED_PORT"), "8080"), "port to listen on; 0 for a free one (FEED_PORT)")
	plugin := flag.String("plugin", "", "the program served as every plugin (default: `plugin` beside this program)")
	flag.Parse()

	program, err := readPlugin(*plugin)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(*address, *port))
	if err != nil {
		return err
	}
	fmt.Printf("listening on %s\n", listener.Addr())
	err = http.Serve(listener, newServer(program).handler())
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

func readPlugin(path string) ([]byte, error) {
	if path == "" {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		path = filepath.Join(filepath.Dir(self), "plugin")
	}
	return os.ReadFile(path)
}

func firstOf(values ...string) string {
	for _, value := range values {
		if value != "" {
			return value
		}
	}
	return ""
}
