#!/usr/bin/env bash
# What Cargo calls in place of `rustc "$@"` for the crates of the workspace. Tests and programs are compiled by clippy, which is
# the same compiler with lints: the tests of a library have all of its code, so nothing is read twice for them. It compiles
# without checks of pointers and with less of the middle optimization, so libraries that others link are left to rustc.
# Not for sh: dash takes away the variables of Cargo whose names have a hyphen.
for word in "$@"; do
  case $word in
    --test | bin | cdylib) exec clippy-driver "$@" ;;
  esac
done
exec "$@"
