#!/usr/bin/env bash
# Builds the image with buildah, starts its root file system as its user and pushes through it.
set -euo pipefail

usage() {
    cat <<'END'
Usage: check.sh [--image NAME] [--keep]

  --image NAME   checks an image that buildah has already, instead of building one
  --keep         keeps the image that was built, and says its name

Variables: BUILD_OPTIONS, for `swift build` (`-j 2`); STORAGE, buildah's driver (default vfs, which works everywhere).
Takes some minutes and 10 GB. Needs Linux, root, buildah, iproute2, curl and the base images that the Dockerfile names,
from a registry or in buildah's store. A container engine is not needed: the root file system of the image is mounted,
in name spaces of its own for processes, mounts and the network, and run with the image's user and environment.
Example: BUILD_OPTIONS='-j 2' Tests/Container/check.sh
END
}

root=$(cd "$(dirname "$0")/../.." && pwd)
limit=40 # MB (10^6 bytes) in the layers above the base, as they lie unpacked
image='' keep=0
while [ $# -gt 0 ]; do
    case $1 in
        --image) image=${2:?"--image needs a name"}; shift ;;
        --keep) keep=1 ;;
        --help | -h) usage; exit 0 ;;
        *) usage >&2; exit 64 ;;
    esac
    shift
done
[ "$(uname -s)" = Linux ] || { echo "check.sh needs Linux" >&2; exit 69; }
[ "$(id -u)" = 0 ] || { echo "check.sh has to be run by root: it mounts and changes root" >&2; exit 69; }
for command in buildah unshare ip curl; do
    command -v "$command" >/dev/null || { echo "$command is missing (Debian: buildah, util-linux, iproute2, curl)" >&2; exit 69; }
done

buildah() { command buildah --storage-driver "${STORAGE:-vfs}" "$@"; }

work=$(mktemp -d)
container='' built=''
clean() {
    [ -z "$container" ] || buildah rm "$container" >/dev/null
    [ -z "$built" ] || [ $keep = 1 ] || buildah rmi "$built" >/dev/null
    # The checks' mounts were in a name space that is gone: nothing but files is left here.
    rm -rf --one-file-system "$work"
}
trap clean EXIT
trap 'exit 130' INT TERM

bases() { sed -n 's/^ARG [A-Z]*_BASE=//p' "$root/Dockerfile"; }
if [ -z "$image" ]; then
    built=localhost/mock-apns-check:$$
    image=$built
    # Bases that are there already are taken as they are.
    pull=--pull-never
    for base in $(bases); do buildah inspect --type image "$base" >/dev/null 2>&1 || pull=--pull; done
    began=$SECONDS
    # Of the formats only Docker's has health checks.
    # An interval for the start is newer than buildah 1.28, which refuses the whole file for it.
    file=$root/Dockerfile
    if printf 'FROM scratch\nHEALTHCHECK --start-interval=1s CMD ["/x"]\n' \
        | buildah bud --format docker -q --isolation chroot -f - "$work" >"$work/interval" 2>/dev/null; then
        buildah rmi "$(cat "$work/interval")" >/dev/null
    else
        file=$work/Dockerfile
        sed 's/ --start-interval=[0-9a-z]*//' "$root/Dockerfile" >"$file"
    fi
    buildah bud --format docker --isolation chroot $pull --build-arg "BUILD_OPTIONS=${BUILD_OPTIONS:-}" \
        -f "$file" -t "$image" "$root" >"$work/build" 2>&1 || { tail -n 50 "$work/build" >&2; built=''; exit 1; }
    echo "built $image in $((SECONDS - began)) s"
    [ $keep = 0 ] || echo "and kept"
fi

# The layers above the base's: what is in the image's list and not in the base's, unpacked.
buildah push -q --disable-compression "$image" "dir:$work/layers" >/dev/null
of_base=$(buildah inspect --type image --format '{{range .OCIv1.RootFS.DiffIDs}}{{.}} {{end}}' "$(bases | tail -n 1)")
bytes=0 layers=0
for layer in $(buildah inspect --type image --format '{{range .OCIv1.RootFS.DiffIDs}}{{.}} {{end}}' "$image"); do
    [[ " $of_base " == *" $layer "* ]] && continue
    bytes=$((bytes + $(stat -c %s "$work/layers/${layer#sha256:}")))
    layers=$((layers + 1))
done
rm -r "$work/layers"
printf 'layers above the base: %d of %d.%d MB together, at most %d MB\n' \
    "$layers" $((bytes / 1000000)) $((bytes / 100000 % 10)) "$limit"
failed=0
[ $bytes -gt 0 ] && [ $bytes -le $((limit * 1000000)) ] || { echo "FAILED: that is more than they may have" >&2; failed=1; }

setting() { buildah inspect --type image --format "$1" "$image"; }
{
    printf 'user=%q\n' "$(setting '{{.Docker.Config.User}}')"
    printf 'folder=%q\n' "$(setting '{{.Docker.Config.WorkingDir}}')"
    printf 'stop=%q\n' "$(setting '{{.Docker.Config.StopSignal}}')"
    printf 'ports=%q\n' "$(setting '{{range $port, $_ := .Docker.Config.ExposedPorts}}{{$port}} {{end}}')"
    printf 'volumes=%q\n' "$(setting '{{range $path, $_ := .Docker.Config.Volumes}}{{$path}} {{end}}')"
    printf 'labels=%q\n' "$(setting '{{range $name, $_ := .Docker.Config.Labels}}{{$name}} {{end}}')"
    echo "entrypoint=($(setting '{{range .Docker.Config.Entrypoint}}{{printf "%q " .}}{{end}}'))"
    echo "arguments=($(setting '{{range .Docker.Config.Cmd}}{{printf "%q " .}}{{end}}'))"
    echo "health=($(setting '{{range .Docker.Config.Healthcheck.Test}}{{printf "%q " .}}{{end}}'))"
    echo "variables=($(setting '{{range .Docker.Config.Env}}{{printf "%q " .}}{{end}}'))"
} >"$work/config"

container=$(buildah from --pull-never "$image")
mounted=$(buildah mount "$container")
# The checks have ports, mounts and processes of their own, which end with them.
mkdir "$work/run"
outer=$(readlink /proc/self/ns/mnt)
unshare --net --mount --propagation private --pid --fork --kill-child --mount-proc \
    "$root/Tests/Container/run.sh" "$mounted" "$work/config" "$root/Sources/MockAPNS/MockAPNS.docc/Guides/Container.md" "$work/run" "$outer" || failed=1
exit $failed
