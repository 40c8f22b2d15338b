// A notice before the certificate of the server ends: in the status and the console, and once a day in the log.
import type { App } from '../app-types.js'
import type { GatewayNotice } from '../schemas/server/gateway.js'

const DAY_MS = 86_400_000

type Shown = Pick<App, 'certificate' | 'config'>

export function certificateNotices({ certificate, config }: Shown, nowMs = Date.now()): GatewayNotice[] {
  if (certificate === undefined) return []
  const { endsAtMs } = certificate
  const sinceMs = endsAtMs - config.tlsNoticeDays * DAY_MS
  if (nowMs < sinceMs) return []
  const ends = `${nowMs < endsAtMs ? 'ends' : 'has ended'} at ${new Date(endsAtMs).toISOString()}`
  const message = `a certificate in ${config.tlsCertificate} ${ends}; replace the file`
  return [{ code: 'certificate_ends', message, since: new Date(sinceMs).toISOString() }]
}

/** To be called often: it warns once a day, and again when there is another certificate. */
export function endWarning(app: App, certificate: { endsAtMs: number }): () => void {
  let told = { endsAtMs: 0, day: 0 }
  return () => {
    const [notice] = certificateNotices({ config: app.config, certificate })
    const day = Math.floor(Date.now() / DAY_MS)
    if (notice === undefined || (told.day === day && told.endsAtMs === certificate.endsAtMs)) return
    told = { endsAtMs: certificate.endsAtMs, day }
    app.log.warn({ endsAt: new Date(certificate.endsAtMs).toISOString() }, notice.message)
  }
}
