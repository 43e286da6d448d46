#!/usr/bin/env bash
# release.sh builds the files of a release.
#
#	scripts/release.sh VERSION DIR [PLATFORM...]
#
# DIR gets a binary for each of five platforms, or of those named, such as linux/amd64
# (which the container image needs), SHA256SUMS, the notes of the release from
# changelog/unreleased, and the parts of the container image. Binaries for Linux are
# static; those ending in -onnx can also run local models, and need glibc. The same
# commit, version and Go give the same bytes. It needs Go.
set -euo pipefail
if [ $# -lt 2 ] || ! [[ $1 =~ ^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$ ]]; then
	printf 'release.sh: want a version such as v1.2.3 and a folder, have: %s\n' "$*" >&2
	exit 2
fi
version=$1
mkdir -p "$2"
out=$(cd "$2" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/.."
platforms=("${@:3}")
[ $# -gt 2 ] || platforms=(linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64)

# build PLATFORM SUFFIX [TAGS] builds a binary.
build() {
	local name=bench-$version-${1/\//-}$2
	printf '%s\n' "$name"
	CGO_ENABLED=0 GOOS=${1%/*} GOARCH=${1#*/} \
		go build -trimpath -tags "${3:-}" -ldflags "-s -w -X main.version=$version" -o "$out/$name" ./cmd/bench
}

for platform in "${platforms[@]}"; do
	case $platform in
	linux/*)
		build "$platform" '' noonnx
		build "$platform" -onnx
		;;
	windows/*) build "$platform" .exe ;;
	*) build "$platform" '' ;;
	esac
done
(cd "$out" && sha256sum bench-* >SHA256SUMS)
bash scripts/notes.sh >"$out/NOTES.md"

# The image contains a binary, the certificates of this machine and the configs.
rm -rf "$out/image"
mkdir -p "$out/image/tmp"
cp "$out/bench-$version-linux-amd64" "$out/image/bench"
cp -RL configs "$out/image/configs"
for file in /etc/ssl/certs/ca-certificates.crt /etc/ssl/cert.pem; do
	[ -f "$file" ] && cp "$file" "$out/image/ca-certificates.crt" && break
done
[ -f "$out/image/ca-certificates.crt" ] || printf 'release.sh: no certificates here; the image reaches no https address\n' >&2
