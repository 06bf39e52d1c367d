#!/bin/sh
# tour.sh -- show sql/examples/tour.sql on a copy of the sample database.
set -eu
cd "$(dirname "$0")/.."
dir=$(mktemp -d "${TMPDIR:-/tmp}/sqlite-kv.XXXXXX")
trap 'rm -rf "$dir"' EXIT
cp tests/sample/sample.sqlite3 "$dir/tour.db"
sqlite3 -batch -bail -cmd ".load ${KV_SO:-build/kv}" "$dir/tour.db" <sql/examples/tour.sql
