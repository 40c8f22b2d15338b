// A whole gateway on a temporary directory, with the native engine, for the tests of one file.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { InjectOptions } from 'fastify'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { buildApp } from '../src/app.js'
import type { App } from '../src/app-types.js'
import { Access } from '../src/auth/access.js'
import type { OidcSettings } from '../src/auth/oidc/settings.js'
import { type Config, readConfig } from '../src/config.js'
import { openNativeEngine } from '../src/engines/native.js'
import { can, clustersFile, forget, storage } from './contract.js'
import { overHttp } from './over-http.js'
import { crewedConfig, crewOf, listenWith } from './workers/crewed.js'

export const TOKEN = 'T'.repeat(43)
export const bearer = { authorization: `Bearer ${TOKEN}` }

export interface Answer {
  status: number
  headers: Record<string, string | undefined>
  text: string
  json: <T = Record<string, unknown>>() => T
}

export interface SendOptions {
  body?: string | Buffer | object
  headers?: Record<string, string>
  /** Send no token. */
  anonymous?: boolean
}

export class Gateway {
  readonly app: App
  readonly directory: string
  readonly #port: number | undefined

  /** `port`: where workers listen, if there are any. */
  constructor(app: App, directory: string, port?: number) {
    this.app = app
    this.directory = directory
    this.#port = port
  }

  /** Where workers listen. */
  get port(): number {
    if (this.#port === undefined) throw new Error('this gateway has no workers')
    return this.#port
  }

  /** `send('GET /api/v1/status')`; an object as body goes as JSON. */
  readonly send = async (line: string, options: SendOptions = {}): Promise<Answer> => {
    const { body, headers = {}, anonymous = false } = options
    const space = line.indexOf(' ')
    const plain = typeof body === 'object' && !Buffer.isBuffer(body)
    const request: InjectOptions = {
      method: line.slice(0, space) as NonNullable<InjectOptions['method']>,
      url: line.slice(space + 1),
      headers: {
        ...(!anonymous && bearer),
        ...(plain && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { payload: plain ? JSON.stringify(body) : body }),
    }
    const response = this.#port === undefined ? await this.app.inject(request) : await overHttp(this.#port, request)
    return {
      status: response.statusCode,
      headers: response.headers as Record<string, string | undefined>,
      text: response.body,
      json: <T>() => JSON.parse(response.body) as T,
    }
  }

  /** Sends and expects success. */
  readonly ok = async <T = Record<string, unknown>>(line: string, options?: SendOptions): Promise<T> => {
    const answer = await this.send(line, options)
    expect(answer.status, `${line}: ${answer.text}`).toBeLessThan(300)
    return (answer.text === '' ? undefined : JSON.parse(answer.text)) as T
  }

  memoryNamespace(name: string): Promise<unknown> {
    return this.ok('POST /api/v1/namespaces', { body: { name, storage: { engine: 'memory' }, segments: 16 } })
  }

  /** A namespace of the engine that the contract is tested with. */
  newNamespace(name: string, more: object = {}): Promise<unknown> {
    const body = { name, storage, ...(can('segments') && { segments: 16 }), ...more }
    return this.ok('POST /api/v1/namespaces', { body })
  }

  put(path: string, bins: object | string): Promise<unknown> {
    return this.ok(`PUT /api/v1/namespaces/${path}`, {
      body: typeof bins === 'string' ? bins : JSON.stringify(bins),
      headers: { 'content-type': 'application/json' },
    })
  }
}

/** `prepare` may fill the data directory before the gateway opens it. */
export function useGateway(
  overrides: Partial<Config> = {},
  consoleFiles?: () => string,
  prepare?: (directory: string) => Promise<void>,
  oidc?: () => OidcSettings,
): () => Gateway {
  let gateway: Gateway
  beforeAll(async () => {
    const directory = await mkdtemp(join(tmpdir(), 'tessera-'))
    const file = join(directory, 'tessera.json')
    // A test that reloads must not end what it has overridden.
    await writeFile(file, JSON.stringify({ readOnly: overrides.readOnly ?? false }))
    const args = ['--data', directory, '--config', file]
    const start = { args, environment: { TESSERA_LOG_LEVEL: 'silent' } }
    const read = readConfig(args, start.environment)
    const config = { ...read, clustersFile, ...crewedConfig(), ...overrides }
    await prepare?.(directory)
    const engine = await openNativeEngine(config)
    const files = consoleFiles?.() ?? join(directory, 'no-console')
    const access = new Access(TOKEN)
    const crew = await crewOf(config, engine)
    const app = await buildApp({ config, start, engine, access, oidc: oidc?.(), consoleFiles: files, crew })
    gateway = new Gateway(app, directory, await listenWith(app, crew))
    await app.ready()
  })
  afterAll(async () => {
    const names = gateway.app.engine.namespaceNames()
    await gateway.app.close()
    forget(names)
    await rm(gateway.directory, { recursive: true })
  })
  return () => gateway
}
