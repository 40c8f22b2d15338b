// The built gateway in a process of its own, as `npm start` runs it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../server/setup.mjs'

/** @typedef {{ loginLink: string, url: string, token: string, pid: number, stop: () => Promise<void> }} Gateway */

/** @param {string} scratch @param {string[]} [nodeOptions] @param {Record<string, string>} [settings] @returns {Promise<Gateway>} */
export async function startGateway(scratch, nodeOptions = [], settings = {}) {
  const data = join(scratch, 'data')
  const args = [...nodeOptions, join(root, 'server/dist/server.js'), '--port', '0', '--data', data]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 2], env: { ...process.env, ...settings } })
  /** @type {string} */
  const loginLink = await new Promise((resolve, reject) => {
    let text = ''
    child.stdout?.setEncoding('utf8').on('data', (/** @type {string} */ chunk) => {
      text += chunk
      const link = /http:\/\/\S+login\S*/.exec(text)?.[0]
      if (link !== undefined) resolve(link)
    })
    child.once('exit', (code) => reject(new Error(`the gateway ended with ${code} before it listened:\n${text}`)))
  })
  const stop = async () => {
    const exit = once(child, 'exit')
    child.kill()
    await exit
  }
  return {
    loginLink,
    url: new URL(loginLink).origin,
    token: readFileSync(join(data, 'admin.token'), 'utf8').trim(),
    pid: child.pid ?? 0,
    stop,
  }
}

/**
 * Calls the REST API below `/api/v1`, in JSON.
 *
 * @param {Pick<Gateway, 'url' | 'token'>} gateway @param {string} method @param {string} path @param {unknown} [body] @returns {Promise<any>}
 */
export async function call({ url, token }, method, path, body) {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(body !== undefined && { 'content-type': 'application/json' }),
  }
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`)
  return response.json()
}
