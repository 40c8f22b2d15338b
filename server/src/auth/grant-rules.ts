// Which grants make sense: some roles are about more than a set or a namespace.
import { GatewayError } from '../errors.js'
import type { Grant } from './grants.js'
import { say } from '../sentences/sentence.js'

/** @throws GatewayError `field_invalid`, `field_missing` */
export function checkGrants(grants: readonly Grant[]): void {
  for (const [at, { role, namespace, setPrefix }] of grants.entries()) {
    const place = `grants.${at}`
    if (role === 'admin' && namespace !== undefined)
      throw new GatewayError(
        'field_invalid',
        say('{place}: the role admin is for the whole server; leave namespace out', { place }),
        {
          field: `${place}.namespace`,
        },
      )
    if (setPrefix === undefined) continue
    if (namespace === undefined)
      throw new GatewayError('field_missing', say('{place}: setPrefix needs a namespace', { place }), {
        field: `${place}.namespace`,
      })
    if (role !== 'reader' && role !== 'writer')
      throw new GatewayError(
        'field_invalid',
        say('{place}: setPrefix is for reader and writer only, got {role}', { place, role }),
        {
          field: `${place}.setPrefix`,
        },
      )
  }
}

/** Whether grants that were kept are such. */
export function isGrants(grants: readonly Grant[]): boolean {
  try {
    checkGrants(grants)
    return true
  } catch {
    return false
  }
}
