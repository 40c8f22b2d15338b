// Opens the engine, listens, prints the address, and closes without losing a request.
import closeWithGrace from 'close-with-grace'
import { type AddressInfo, isIPv6 } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { buildApp } from './app.js'
import type { App } from './app-types.js'
import { Access } from './auth/access.js'
import { loginUrl } from './auth/sign-in.js'
import { loadToken } from './auth/admin-token.js'
import { readOidc } from './auth/oidc/settings.js'
import { makeBackupDirectory } from './backups/directory.js'
import { type Config, effectiveSettings, isLoopback, readConfig } from './config.js'
import { checkFiles } from './config/files.js'
import { configText, helpText, wantsHelp, wantsPrint } from './config/report.js'
import { configFileOf } from './config/sources.js'
import type { Engine } from './engines/engine.js'
import { openNativeEngine } from './engines/native.js'
import { makeDataDirectory } from './files/data-directory.js'
import { takeHangups } from './hangup.js'
import { BACKLOG } from './network/accepting.js'
import { clearSocket } from './network/socket.js'
import { historyNotices } from './overload/use.js'
import { startPassed, startRecovered } from './start-clock.js'
import { Crew } from './workers/crew.js'

/** Requests have ended after 3 s at most. The rest is for the engine, which may have much to write. */
const CLOSE_DELAY_MS = 15_000
const WORKER = new URL('./workers/main.js', import.meta.url)

export async function main(args: readonly string[]): Promise<void> {
  if (wantsHelp(args)) {
    console.log(helpText())
    return
  }
  if (wantsPrint(args)) {
    const text = configText(effectiveSettings(args, process.env))
    await checkFiles(readConfig(args, process.env))
    console.log(text)
    return
  }
  startPassed('code')
  const config = readConfig(args, process.env)
  await makeDataDirectory(config.dataDirectory)
  await makeBackupDirectory(config)
  const oidc = await readOidc(config)
  const access = new Access(await loadToken(config.dataDirectory))
  startPassed('settings')
  const engine = await openNativeEngine(config)
  startPassed('engine')
  // A Unix socket is the main thread's alone.
  const isCrewed = config.workers > 1 && config.socket === undefined
  const crew = isCrewed ? await Crew.make({ entry: WORKER, handle: engine.share(), backlog: BACKLOG }) : undefined
  const app = await buildApp({ config, start: { args, environment: process.env }, engine, access, oidc, crew })
  await app.ready()
  startPassed('routes')
  const renew = renewalOf(app, args)
  const skip = renew === undefined ? [] : ['SIGHUP' as const]
  closeWithGrace({ delay: config.drainMs + CLOSE_DELAY_MS, logger: app.log, skip }, async ({ err, signal }) => {
    if (err !== undefined) app.log.fatal({ err }, 'closing because of a failure')
    else app.log.info({ signal, drainMs: config.drainMs }, 'stopping')
    app.stop.begun = true
    crew?.stopSoon()
    // Whoever shares requests out sees that this server stops, and sends the next ones elsewhere.
    if (err === undefined && config.drainMs > 0) await setTimeout(config.drainMs)
    await app.close()
    app.log.info('stopped')
  })
  takeHangups(renew)
  let port: number | undefined
  try {
    await app.listen({
      ...(crew === undefined ? await placeOf(config) : { path: crew.inside.path }),
      backlog: BACKLOG,
      listenTextResolver: (where) => listensAt(config, where),
    })
    port = await crew?.listen(config)
    startPassed('listen')
  } catch (error) {
    await app.close()
    throw error
  }
  announce(app, config, port)
  try {
    await report(app, engine)
  } catch (error) {
    // A stop that comes at once has closed the engine, and ends the process itself.
    if (!app.stop.begun) throw error
  }
}

/**
 * As other servers do: the signal that ends those without a terminal renews what can be renewed. Undefined: there is
 * nothing to renew.
 */
function renewalOf(app: App, args: readonly string[]): (() => void) | undefined {
  const { reloadTls, settings } = app
  if (reloadTls === undefined && configFileOf(args, process.env) === undefined) return undefined
  return () => {
    settings.reload({ cause: 'found', who: 'signal' }).catch((error: unknown) => {
      // What is wrong with the file is in the log already.
      if ((error as { code?: unknown }).code !== 'config_file_invalid')
        app.log.error({ err: error }, 'the configuration could not be read again')
    })
  }
}

/** Where to listen. A socket that a killed server has left is removed. */
async function placeOf({ host, port, socket }: Config): Promise<{ path: string } | { host: string; port: number }> {
  if (socket === undefined) return { host, port }
  await clearSocket(socket)
  return { path: socket }
}

/** Fastify does not know that `createApp` has made a server for HTTPS. */
const listensAt = (config: Config, where: string): string =>
  `Server listening at ${config.tlsCertificate === undefined ? where : where.replace(/^http:/, 'https:')}`

/**
 * The login code appears here and nowhere else: the log has no credentials. `workersPort`: if workers listen in place of
 * `app`.
 */
function announce(app: App, config: Config, workersPort?: number): void {
  const scheme = config.tlsCertificate === undefined ? 'http' : 'https'
  const data = `data in ${config.dataDirectory}`
  if (config.socket !== undefined) return console.log(`\nTessera listens on ${config.socket} (${scheme}), ${data}\n`)
  const port = workersPort ?? (app.server.address() as AddressInfo).port
  // A certificate names a host, not an address.
  const host = scheme === 'https' ? (config.hosts[0] ?? config.host) : config.host
  const origin = `${scheme}://${isIPv6(host) ? `[${host}]` : host}:${port}${config.basePath}`
  const open = config.auth ? loginUrl(origin, app.access.newCode().secret) : `${origin} (no authentication)`
  console.log(`\nTessera listens on ${origin}, ${data}\nOpen ${open}\n`)
  if (scheme === 'http' && !isLoopback(config.host))
    console.warn('HTTP without TLS: everybody on the way can read tokens and records.\n')
}

/** Prints what is not served yet, and what will not be served. */
async function report(app: App, engine: Engine): Promise<void> {
  const { recovering, progress } = await engine.status()
  if (recovering) {
    const names = progress.map(({ namespace }) => namespace).join(', ')
    console.log(`Recovering ${names}. Their calls answer 503 until then. /readyz shows the progress.`)
    await engine.settled()
    if (!app.server.listening) return
    startRecovered()
    console.log('Recovery is done.')
  }
  const status = await engine.status()
  for (const { namespace, message } of status.notices) console.warn(`${namespace}: ${message}`)
  for (const { message } of historyNotices(status)) console.warn(message)
  for (const { id, bytes, files, namespace, reason } of await engine.orphans()) {
    const what = namespace === undefined ? '' : `, with the namespace ${namespace.config.name},`
    const how = reason === undefined ? 'adopt or delete it in the console' : reason
    console.warn(`The folder namespaces/${id} (${files} files, ${bytes} bytes)${what} is not in the manifest: ${how}.`)
  }
}
