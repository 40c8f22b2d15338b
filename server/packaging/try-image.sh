#!/bin/sh
# Starts an image as compose.yaml does, waits until it is healthy, and stops it. Argument: the image.
set -eu
container=$(docker run --detach --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges \
  --env TESSERA_PLAIN_HTTP=true --health-interval 1s "$1")
trap 'docker rm --force --volumes "$container" > /dev/null' EXIT
for _ in $(seq 60); do
  state=$(docker inspect --format '{{.State.Health.Status}}' "$container")
  [ "$state" != healthy ] || break
  sleep 1
done
docker logs "$container" | grep 'Tessera listens on' > /dev/null
[ "$state" = healthy ]
docker stop --time 10 "$container" > /dev/null
# 137 would say that it had to be killed.
[ "$(docker inspect --format '{{.State.ExitCode}}' "$container")" = 0 ]
