// Where answers lead to, if clients reach the server below a path.
import type { App } from '../app-types.js'

/** Redirects and `Location` lead below the base, as clients see it. One that is sent again leads there already. */
export function leadBelowBase(app: App): void {
  const { basePath } = app.config
  if (basePath === '') return
  app.addHook('onSend', (_request, reply, _payload, done) => {
    const location = reply.getHeader('location')
    if (typeof location === 'string' && location.startsWith('/') && !location.startsWith(`${basePath}/`))
      reply.header('location', basePath + location)
    done()
  })
}
