// What the operating system still holds of what was sent. Linux tells it for all connections at once; others do not.
import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'

const FILES = ['/proc/self/net/tcp', '/proc/self/net/tcp6']
const LINE = /^\s*\d+: [\dA-F]+:([\dA-F]{4}) [\dA-F]+:([\dA-F]{4}) 01 ([\dA-F]{8}):/gm

/** Bytes that each connection has sent, and its other end has not acknowledged. */
export class KernelQueue {
  readonly #bytes = new Map<string, number>()

  static async read(): Promise<KernelQueue> {
    const texts = await Promise.all(FILES.map((path) => readFile(path, 'latin1').catch(() => '')))
    return new KernelQueue(texts.join('\n'))
  }

  constructor(text: string) {
    for (const [, local = '', remote = '', hex = ''] of text.matchAll(LINE)) {
      const key = `${Number.parseInt(local, 16)} ${Number.parseInt(remote, 16)}`
      // Two clients with the same port at two addresses: the smaller one holds for both, so neither is wronged.
      const other = this.#bytes.get(key) ?? Infinity
      this.#bytes.set(key, Math.min(other, Number.parseInt(hex, 16)))
    }
  }

  of({ localPort = 0, remotePort = 0 }: Pick<Socket, 'localPort' | 'remotePort'>): number {
    return this.#bytes.get(`${localPort} ${remotePort}`) ?? 0
  }
}
