// The Unix socket that a server listens on.
import { lstat, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { ConfigError } from '../config.js'

/**
 * Makes room for a socket. One that nobody listens on any more is removed.
 *
 * @throws ConfigError if a server listens there, or something else is there
 */
export async function clearSocket(path: string): Promise<void> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new ConfigError(`the socket ${path} cannot be made: ${error.message}`)
  })
  if (found === undefined) return
  if (!found.isSocket()) throw new ConfigError(`the socket ${path} cannot be made: something else is there`)
  if (await isServed(path)) throw new ConfigError(`a server listens on ${path} already; choose another TESSERA_SOCKET`)
  await rm(path)
}

const isServed = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'ECONNREFUSED'))
  })
