#!/bin/sh
# As that of the official image: arguments alone are mongod's.
case "$1" in -*) set -- mongod "$@" ;; esac
exec "$@"
