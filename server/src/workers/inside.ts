// The way from a worker to the main thread: HTTP on a Unix socket in a folder of this user alone. A header says who the client
// is. It begins with a secret of this process, so nobody else can say so.
import type { IncomingMessage, RequestListener } from 'node:http'
import type { Socket } from 'node:net'

export interface Inside {
  path: string
  secret: string
}

export const CLIENT_HEADER = 'x-tessera-client'

/** The value of the header for a request of this client. */
export function clientOf({ secret }: Inside, socket: Socket & { encrypted?: boolean }): string {
  const { remoteAddress = '', remotePort = 0, localPort = 0, encrypted = false } = socket
  return `${secret} ${encrypted ? 1 : 0} ${remotePort} ${localPort} ${remoteAddress}`
}

/** The handler to call for each request instead of `handle`: to that, the socket is that of the client. */
export function asClient(secret: string, handle: RequestListener): RequestListener {
  return (request, response) => {
    const told = takeHeader(request)
    const [given, encrypted, remotePort, localPort, remoteAddress] = told.split(' ')
    if (given !== secret) {
      request.socket.destroy()
      return
    }
    // A connection has one request at work.
    const { socket } = request
    show(socket, 'encrypted', encrypted === '1')
    show(socket, 'remotePort', Number(remotePort))
    show(socket, 'localPort', Number(localPort))
    show(socket, 'remoteAddress', remoteAddress)
    // Node then ends it in place of closing it: an answer that comes before the whole body must reach the worker.
    show(socket, 'destroySoon', undefined)
    handle(request, response)
  }
}

function takeHeader({ headers }: IncomingMessage): string {
  const told = headers[CLIENT_HEADER]
  delete headers[CLIENT_HEADER]
  return typeof told === 'string' ? told : ''
}

const show = (socket: Socket, name: string, value: unknown): void => {
  Object.defineProperty(socket, name, { value, configurable: true })
}
