// A notice before the certificate of the server ends: in the status and the console, and once a day in the log.
import type { App } from '../app-types.js'
import type { GatewayNotice } from '../schemas/server/gateway.js'
import { english, saidOf, say } from '../sentences/sentence.js'

const DAY_MS = 86_400_000

type Shown = Pick<App, 'certificate' | 'config'>

export function certificateNotices({ certificate, config }: Shown, nowMs = Date.now()): GatewayNotice[] {
  if (certificate === undefined) return []
  const { endsAtMs } = certificate
  const sinceMs = endsAtMs - config.tlsNoticeDays * DAY_MS
  if (nowMs < sinceMs) return []
  const values = { file: config.tlsCertificate ?? '', at: { time: new Date(endsAtMs).toISOString() } }
  const sentence =
    nowMs < endsAtMs
      ? say('a certificate in {file} ends at {at}; replace the file', values)
      : say('a certificate in {file} has ended at {at}; replace the file', values)
  const since = new Date(sinceMs).toISOString()
  return [{ code: 'certificate_ends', message: english(sentence), ...saidOf(sentence), since }]
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
