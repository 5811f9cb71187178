// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"getporter.local/images/internal/versions"
)

// view is the feed as it looks below one URL prefix.
type view struct {
	prefix string   // the part of the path that chose this view
	rest   []string // the part after it

	failing  bool // every answer is an error 500
	broken   bool // the entries are there, the downloads are not
	delay    time.Duration
	userinfo *url.Userinfo     // the credentials that are needed, if any
	latest   map[string]string // the latest version of a plugin, where it is not the real one
}

// behaviour is what one word at the start of a path does with the words
// that follow it.
type behaviour struct {
	arguments int
	apply     func(s *server, v *view, arguments []string) error
}

var behaviours = map[string]behaviour{
	"always500": {0, func(_ *server, v *view, _ []string) error {
		v.failing = true
		return nil
	}},
	"broken": {0, func(_ *server, v *view, _ []string) error {
		v.broken = true
		return nil
	}},
	"channel": {1, func(s *server, v *view, arguments []string) error {
		v.latest = s.state.latestOf(arguments[0])
		return nil
	}},
	"flaky": {1, func(s *server, v *view, arguments []string) error {
		v.failing = s.state.isFirst(arguments[0])
		return nil
	}},
	"newest": {1, func(_ *server, v *view, arguments []string) error {
		if _, ok := versions.Parse(arguments[0]); !ok {
			return fmt.Errorf("%q is not a version", arguments[0])
		}
		v.latest = map[string]string{"kubernetes": arguments[0]}
		return nil
	}},
	"secret": {2, func(_ *server, v *view, arguments []string) error {
		// In hexadecimal, so that the password itself is in the user information of a URL and nowhere else.
		password, err := hex.DecodeString(arguments[1])
		if err != nil {
			return fmt.Errorf("%q is not hexadecimal", arguments[1])
		}
		v.userinfo = url.UserPassword(arguments[0], string(password))
		return nil
	}},
	"slow": {1, func(_ *server, v *view, arguments []string) error {
		seconds, err := strconv.ParseFloat(arguments[0], 64)
		if err != nil || seconds < 0 {
			return fmt.Errorf("%q is not a number of seconds", arguments[0])
		}
		v.delay = time.Duration(seconds * float64(time.Second))
		return nil
	}},
}

// viewOf reads the behaviours off the start of a path. Several may follow
// one another, such as /slow/2/channel/a/plugins/atom.xml.
func (s *server) viewOf(path string) (view, error) {
	v := view{}
	words := strings.Split(strings.Trim(path, "/"), "/")
	for {
		chosen, ok := behaviours[words[0]]
		if !ok {
			v.rest = words
			return v, nil
		}
		count := 1 + chosen.arguments
		if len(words) <= count {
			return v, errors.New("the path ends too early")
		}
		if err := chosen.apply(s, &v, words[1:count]); err != nil {
			return v, err
		}
		v.prefix += "/" + strings.Join(words[:count], "/")
		words = words[count:]
	}
}

func (v view) allows(r *http.Request) bool {
	if v.userinfo == nil {
		return true
	}
	user, password, _ := r.BasicAuth()
	wanted, _ := v.userinfo.Password()
	return user == v.userinfo.Username() && password == wanted
}

// address makes an absolute link into the same view. Porter sends credentials
// only where the link has them, so a view that needs some puts them in.
func (v view) address(host, path string) string {
	link := url.URL{Scheme: "http", User: v.userinfo, Host: host, Path: v.prefix + path}
	return link.String()
}
