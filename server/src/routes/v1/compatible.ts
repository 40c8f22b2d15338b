// What all of /v1 shares: the error object, and refusals of what would otherwise be ignored without a word.
import type { App } from '../../app-types.js'
import { GatewayError } from '../../errors.js'
import { sendCompatibleError } from './errors.js'

export function compatibleErrors(scope: App): void {
  scope.setErrorHandler(sendCompatibleError)
  scope.addHook('preValidation', (request, _reply, done) => {
    const filtered = (request.query as Record<string, unknown>)['filterexp'] !== undefined
    done(filtered ? new GatewayError('unsupported', 'filterexp is not supported', { field: 'filterexp' }) : undefined)
  })
}
