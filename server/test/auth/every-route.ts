// Every route of the gateway, and what the page about access says of it.
import { readFile } from 'node:fs/promises'
import type { RouteOptions } from 'fastify'
import { createApp, declareApi } from '../../src/app.js'
import { type Role, ROLES } from '../../src/auth/roles.js'
import { readConfig } from '../../src/config.js'

export interface Route {
  method: string
  /** With its parameters, such as `:ns`. */
  url: string
  operation: string
  public: boolean
}

export async function everyRoute(): Promise<Route[]> {
  const app = createApp(readConfig([], {}))
  const found: Route[] = []
  app.addHook('onRoute', ({ method, url, schema, config }: RouteOptions) => {
    const { operationId = '', hide } = (schema ?? {}) as { operationId?: string; hide?: boolean }
    // Pages, and methods that a path does not have.
    if (hide === true) return
    for (const one of [method].flat())
      found.push({ method: one, url, operation: operationId, public: config?.public === true })
  })
  await declareApi(app)
  await app.ready()
  await app.close()
  return found
}

export interface Documented {
  role: Role
  where: string
}

/** The table of the page, by operation. */
export async function documented(): Promise<Map<string, Documented>> {
  const page = await readFile(new URL('../../../docs/access.md', import.meta.url), 'utf8')
  return new Map(
    page.split('\n').flatMap((line) => {
      const [, first, where = '', operations = ''] = line.split('|').map((cell) => cell.trim())
      const role = ROLES.find((each) => first === `\`${each}\``)
      const names = [...operations.matchAll(/`(\w+)`/g)].map(([, operation]) => operation ?? '')
      return role === undefined ? [] : names.map((operation) => [operation, { role, where }] as const)
    }),
  )
}
