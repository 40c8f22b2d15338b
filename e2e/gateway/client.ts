import { expect } from 'vitest'
import type { Gateway } from './gateway.ts'

// The few calls that the goals share. They are what any client would send: HTTP and JSON, nothing else.

export interface Job {
  id: string
  state: string
  done: number
  error?: { code: string; message: string }
  result?: unknown
}

export interface StoredRecord {
  key: string | number
  generation: number
  bins: Record<string, unknown>
}

export function send(
  gateway: Gateway,
  method: string,
  path: string,
  body?: unknown,
  accept = 'application/json',
): Promise<Response> {
  const headers: Record<string, string> = { authorization: `Bearer ${gateway.token}`, accept }
  if (body === undefined) return fetch(gateway.url + path, { method, headers })
  headers['content-type'] = 'application/json'
  return fetch(gateway.url + path, { method, headers, body: JSON.stringify(body) })
}

/** Sends, expects success, and reads the answer as JSON. */
export async function call<T>(gateway: Gateway, method: string, path: string, body?: unknown): Promise<T> {
  const response = await send(gateway, method, path, body)
  const text = await response.text()
  expect(response.ok, `${method} ${path} answered ${response.status}: ${text}`).toBe(true)
  return (text === '' ? undefined : JSON.parse(text)) as T
}

/** Sends, expects success, and reads the answer as lines of JSON. */
export async function lines<T>(gateway: Gateway, method: string, path: string, body?: unknown): Promise<T[]> {
  const response = await send(gateway, method, path, body, 'application/x-ndjson')
  const text = await response.text()
  expect(response.ok, `${method} ${path} answered ${response.status}: ${text}`).toBe(true)
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T)
}

export function createNamespace(gateway: Gateway, config: Record<string, unknown>): Promise<unknown> {
  return call(gateway, 'POST', '/api/v1/namespaces', config)
}

/** Waits for the end of a job, by asking the server to wait, and expects it to be done. */
export async function finish(gateway: Gateway, job: Job): Promise<Job> {
  let last = job
  while (!['done', 'failed', 'aborted'].includes(last.state)) {
    last = await call<Job>(gateway, 'GET', `/api/v1/jobs/${job.id}?wait=10s`)
  }
  expect(last.state, JSON.stringify(last.error)).toBe('done')
  return last
}
