// Keeps what the gateway has added to requests lately, while it listens.
import type { App } from '../app-types.js'
import { addedByAll } from '../overload/use.js'
import { AddedWindow } from './added.js'

export function keepAdded(app: App): void {
  const lately = new AddedWindow(() => addedByAll(app))
  app.decorate('addedLately', lately)
  app.addHook('onReady', (done) => {
    lately.open()
    done()
  })
  app.addHook('onClose', (_app, done) => {
    lately.close()
    done()
  })
}
