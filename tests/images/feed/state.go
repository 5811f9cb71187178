// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

package main

import (
	"maps"
	"sync"
)

// state is all that the feed remembers between requests.
type state struct {
	mutex    sync.Mutex
	requests map[string]int
	tokens   map[string]bool
	channels map[string]map[string]string
}

func newState() *state {
	return &state{
		requests: map[string]int{},
		tokens:   map[string]bool{},
		channels: map[string]map[string]string{},
	}
}

func (s *state) count(path string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.requests[path]++
}

func (s *state) counts() map[string]int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return maps.Clone(s.requests)
}

// isFirst is true once for each token.
func (s *state) isFirst(token string) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	first := !s.tokens[token]
	s.tokens[token] = true
	return first
}

func (s *state) latestOf(channel string) map[string]string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return maps.Clone(s.channels[channel])
}

func (s *state) setLatest(channel, name, version string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.channels[channel] == nil {
		s.channels[channel] = map[string]string{}
	}
	s.channels[channel][name] = version
}
