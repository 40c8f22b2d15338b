// Stands before a node: who wants to reach it, client or node, connects here. While this process stands still (SIGSTOP), the
// node is cut off: bytes that were sent to it, or by it, are held back, and no connection ends. They go on with SIGCONT, late,
// as those of a network that was gone for a while do. That needs no rights, and no firewall.
import { connect, createServer } from 'node:net'

const [there, here, ...ports] = process.argv.slice(2)
if (there === undefined || here === undefined) throw new Error('usage: relay.mjs ADDRESS-OF-NODE OWN-ADDRESS PORT…')

for (const port of ports.map(Number)) {
  createServer({ noDelay: true }, (client) => {
    const node = connect({ host: there, port, noDelay: true })
    for (const [from, to] of /** @type {const} */ ([
      [client, node],
      [node, client],
    ])) {
      from.pipe(to)
      // What one side has given up, the other is told.
      from.once('error', () => to.destroy())
      from.once('close', () => to.destroy())
    }
  }).listen(port, here)
}
