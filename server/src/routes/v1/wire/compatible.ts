// Shared by /v1 and /v2: the error object, and JSON or MessagePack.
import type { App } from '../../../app-types.js'
import { sendCompatibleError } from './errors.js'
import { mediaTypes, packAnswers } from './wire.js'

export function compatible(scope: App): void {
  scope.setErrorHandler(sendCompatibleError)
  scope.addHook('onRoute', (route) => {
    route.config = { ...route.config, produces: mediaTypes }
  })
  packAnswers(scope)
}
