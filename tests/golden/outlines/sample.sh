#!/bin/sh
. ./lib.sh
# not_me() {
greet() {
  cat <<EOF
nor_me() {
EOF
  echo 'nope() {'
}

function build-all {
  echo "$#"
}
