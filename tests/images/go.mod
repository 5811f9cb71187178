// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

module getporter.local/images

go 1.23

require gopkg.in/yaml.v3 v3.0.1
