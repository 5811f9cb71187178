// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

// Package identity lets one program pass for every plugin: the feed appends
// to the program who it is to be, and the program reads that from its own tail.
package identity

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
)

// The trailer is the JSON text, its length in eight bytes, and this mark.
const mark = "STANDIN1"

const footerSize = 8 + int64(len(mark))

// Identity is what a plugin answers to `version --output json`.
type Identity struct {
	Name            string           `json:"name"`
	Version         string           `json:"version"`
	Commit          string           `json:"commit"`
	Author          string           `json:"author,omitempty"`
	Implementations []Implementation `json:"implementations"`
}

// Implementation is one service that a plugin offers to Porter.
type Implementation struct {
	Type string `json:"type"`
	Name string `json:"implementation"`
}

// Append returns the program with the identity as its trailer.
func Append(program []byte, who Identity) ([]byte, error) {
	text, err := json.Marshal(who)
	if err != nil {
		return nil, err
	}
	result := bytes.Clone(program)
	result = append(result, text...)
	result = binary.BigEndian.AppendUint64(result, uint64(len(text)))
	return append(result, mark...), nil
}

// Read finds the identity at the end of a program of the given size.
func Read(program io.ReaderAt, size int64) (Identity, error) {
	var who Identity
	footer := make([]byte, footerSize)
	if size < footerSize {
		return who, errors.New("the program is too short for an identity")
	}
	if _, err := program.ReadAt(footer, size-footerSize); err != nil {
		return who, err
	}
	length := int64(binary.BigEndian.Uint64(footer))
	if string(footer[8:]) != mark || length < 0 || length > size-footerSize {
		return who, errors.New("the program carries no identity")
	}
	text := make([]byte, length)
	if _, err := program.ReadAt(text, size-footerSize-length); err != nil {
		return who, err
	}
	return who, json.Unmarshal(text, &who)
}
