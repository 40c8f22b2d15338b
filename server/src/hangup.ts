// SIGHUP while the server starts. It is kept until the start knows what there is to renew: by default it ends the process.
let kept = false
const keep = (): void => {
  kept = true
}
process.on('SIGHUP', keep)

/** From now on `renew` is called; undefined: the signal ends the server as others do. One that was kept comes again. */
export function takeHangups(renew: (() => void) | undefined): void {
  if (renew !== undefined) process.on('SIGHUP', renew)
  process.off('SIGHUP', keep)
  if (kept) process.kill(process.pid, 'SIGHUP')
  kept = false
}
