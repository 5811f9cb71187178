// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"getporter.local/images/internal/identity"
	"getporter.local/images/internal/versions"
)

type server struct {
	program []byte
	state   *state
	log     io.Writer
}

func newServer(program []byte) *server {
	return &server{program: program, state: newState(), log: os.Stderr}
}

func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, "ok")
	})
	mux.HandleFunc("GET /requests", s.listRequests)
	mux.HandleFunc("POST /control/latest/{name}/{version}", s.setLatest)
	mux.HandleFunc("GET /", s.publish)
	return mux
}

func (s *server) listRequests(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(s.state.counts())
}

// setLatest changes what a channel calls the latest version of a plugin.
func (s *server) setLatest(w http.ResponseWriter, r *http.Request) {
	channel, name, version := r.URL.Query().Get("channel"), r.PathValue("name"), r.PathValue("version")
	_, isVersion := versions.Parse(version)
	_, isProduct := findProduct(name)
	if channel == "" || !isVersion || !isProduct {
		http.Error(w, "needs a known plugin, a version, and ?channel=", http.StatusBadRequest)
		return
	}
	s.state.setLatest(channel, name, version)
	w.WriteHeader(http.StatusNoContent)
}

func (s *server) publish(w http.ResponseWriter, r *http.Request) {
	s.state.count(r.URL.Path)
	status := s.answer(w, r)
	fmt.Fprintf(s.log, "%s %s %d\n", r.Method, r.URL.Path, status)
}

// answer sends a response and returns its status.
func (s *server) answer(w http.ResponseWriter, r *http.Request) int {
	v, err := s.viewOf(r.URL.Path)
	switch {
	case err != nil:
		return refuse(w, http.StatusBadRequest, err.Error())
	case !v.allows(r):
		w.Header().Set("WWW-Authenticate", `Basic realm="plugins"`)
		return refuse(w, http.StatusUnauthorized, "wrong or no credentials")
	case v.failing:
		return refuse(w, http.StatusInternalServerError, "failing, as the path asks")
	case slices.Equal(v.rest, []string{"plugins", "atom.xml"}):
		w.Header().Set("Content-Type", "application/atom+xml")
		return send(w, atomFeed(v, r.Host))
	case len(v.rest) == 3 && !v.broken:
		return s.sendPlugin(w, r, v)
	default:
		return refuse(w, http.StatusNotFound, "no such file")
	}
}

// sendPlugin serves NAME/VERSION/NAME-linux-ARCH.
func (s *server) sendPlugin(w http.ResponseWriter, r *http.Request, v view) int {
	name, file := v.rest[0], v.rest[2]
	product, known := findProduct(name)
	version, published := product.find(v.rest[1], v.latest[name])
	arch, named := strings.CutPrefix(file, name+"-linux-")
	if !known || !published || !named || !slices.Contains(architectures(), arch) {
		return refuse(w, http.StatusNotFound, "no such plugin")
	}
	program, err := identity.Append(s.program, product.identity(version))
	if err != nil {
		return refuse(w, http.StatusInternalServerError, err.Error())
	}
	select {
	case <-time.After(v.delay):
	case <-r.Context().Done():
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	return send(w, program)
}

// architectures lists those with a download. Porter always wants one for
// amd64; the program is nevertheless the one for this machine.
func architectures() []string {
	return slices.Compact([]string{"amd64", runtime.GOARCH})
}

func refuse(w http.ResponseWriter, status int, reason string) int {
	http.Error(w, reason, status)
	return status
}

func send(w http.ResponseWriter, content []byte) int {
	w.Header().Set("Content-Length", strconv.Itoa(len(content)))
	w.Write(content)
	return http.StatusOK
}
