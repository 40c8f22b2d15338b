// A read-only server refuses what changes something, whoever asks for it. Credentials and roles are looked at before.
import type { App } from '../app-types.js'
import { changesSomething, refuseIfReadOnly } from '../auth/changes.js'
import { needsOf } from '../auth/permissions.js'
import { addRouteHook } from './route-hooks.js'

/** For all routes registered after this call. A reload may change the setting, so each request looks. */
export function refuseChanges(app: App): void {
  app.addHook('onRoute', (route) => {
    const { operationId } = (route.schema ?? {}) as { operationId?: string }
    if (!changesSomething(operationId, route.method, needsOf(route))) return
    route.config = { ...route.config, changes: true }
    const dry = hasDryRun(route.schema?.querystring)
    addRouteHook(
      route,
      'onRequest',
      ({ query }, _reply, done) => {
        if (!(dry && isDry(query))) refuseIfReadOnly(app.config)
        done()
      },
      'first',
    )
  })
}

const hasDryRun = (query: unknown): boolean =>
  Object.hasOwn((query as { properties?: object } | undefined)?.properties ?? {}, 'dryRun')

// A dry run tells what would happen, and changes nothing. Any other value is a change, or refused later.
const isDry = (query: unknown): boolean => (query as { dryRun?: unknown }).dryRun === 'true'
