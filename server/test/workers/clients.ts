// Clients with a connection each, which the kernel spreads over the workers.
import { Agent, type ClientRequest, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { bearer } from '../gateway.js'

export interface Said {
  status: number
  id: string
  body: string
}

export interface Client {
  send: (line: string, body?: string, headers?: Record<string, string>) => Promise<Said>
  close: () => void
}

export function client(port: number): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return {
    send: (line, body, headers = bearer) =>
      new Promise((resolve, reject) => {
        const [method = 'GET', path = '/'] = line.split(' ')
        const type = body === undefined ? {} : { 'content-type': 'application/json' }
        const sent: ClientRequest = request({ port, method, path, agent, headers: { ...type, ...headers } })
        sent.once('error', reject)
        sent.once('response', (answer) => {
          const said = { status: answer.statusCode ?? 0, id: String(answer.headers['x-request-id']) }
          text(answer).then((all) => resolve({ ...said, body: all }), reject)
        })
        sent.end(body)
      }),
    close: () => agent.destroy(),
  }
}

/** Runs `use` with so many clients, and closes them. */
export async function withClients<T>(port: number, count: number, use: (clients: Client[]) => Promise<T>): Promise<T> {
  const clients = Array.from({ length: count }, () => client(port))
  try {
    return await use(clients)
  } finally {
    for (const one of clients) one.close()
  }
}

/** The thread that gave an id to a request. */
export const threadOf = ({ id }: Said): string => id.split('-')[0] ?? ''
