// The load under which the Live page is measured.
import { chromium } from 'playwright-core'
import { bringChromium } from '../browser/chromium.mjs'
import { startGateway } from './gateway.mjs'

const operationsPerSecond = 400

/** A number among the options. @param {string[]} options @param {string} name @param {number} otherwise */
export function option(options, name, otherwise) {
  return Number(word(options, name) ?? otherwise)
}

/** What follows a name among the options. @param {string[]} options @param {string} name @returns {string | undefined} */
export function word(options, name) {
  const at = options.indexOf(name)
  return at < 0 ? undefined : options[at + 1]
}

/**
 * Measures with a browser on a gateway under load, and ends all three.
 *
 * @template T
 * @param {string} scratch
 * @param {(site: { gateway: Awaited<ReturnType<typeof startGateway>>, browser: import('playwright-core').Browser }) => Promise<T>} measure
 * @param {string} [engine] of the namespace `events`
 * @returns {Promise<T>}
 */
export async function underLoad(scratch, measure, engine = 'memory') {
  const gateway = await startGateway(scratch)
  const stopLoad = load(gateway, engine)
  const browser = await chromium.launch({ executablePath: bringChromium(), args: ['--no-sandbox', '--disable-gpu'] })
  try {
    return await measure({ gateway, browser })
  } finally {
    await browser.close()
    try {
      await stopLoad()
    } finally {
      await gateway.stop()
    }
  }
}

/** Reads, writes and scans of two namespaces at a steady rate until stopped. @param {{ url: string, token: string }} gateway @param {string} engine of `events` */
function load({ url, token }, engine) {
  const stopped = new AbortController()
  /** @param {string} method @param {string} path @param {unknown} [body] */
  const send = async (method, path, body) => {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    }
    const response = await fetch(`${url}/api/v1/namespaces${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    await response.arrayBuffer()
  }
  const run = async () => {
    await send('POST', '', { name: 'shop', storage: { engine: 'memory' } })
    await send('POST', '', { name: 'events', storage: { engine } })
    const began = performance.now()
    for (let done = 0; !stopped.signal.aborted;) {
      const due = Math.min(done + 64, Math.floor(((performance.now() - began) / 1000) * operationsPerSecond))
      const batch = []
      for (; done < due; done += 1) {
        const set = `/${done % 3 === 0 ? 'shop' : 'events'}/sets/orders`
        const key = `${set}/records/${done % 5000}`
        if (done % 199 === 0)
          batch.push(send('POST', `${set.slice(0, set.indexOf('/sets'))}/scan`, { set: 'orders', threads: 1 }))
        else if (done % 4 === 0) batch.push(send('PUT', key, { bins: { n: done, text: 'x'.repeat(100) } }))
        else batch.push(send('GET', key))
      }
      await Promise.all(batch)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  const running = run()
  // What goes wrong is told when the load is stopped, not by ending this process before the gateway.
  running.catch(() => undefined)
  return async () => {
    stopped.abort()
    await running
  }
}
