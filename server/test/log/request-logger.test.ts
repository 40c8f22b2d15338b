// A request's lines carry its id, and a request without lines costs no logger.
import Fastify, { type FastifyBaseLogger, LogController } from 'fastify'
import { expect, test } from 'vitest'
import { requestLogger } from '../../src/log/request-logger.js'

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const

/** Answers `GET /`, and gives the lines of the log and how many loggers were made. */
async function answerWith(act: (log: FastifyBaseLogger) => unknown) {
  const lines: string[] = []
  let made = 0
  const app = Fastify({
    logger: { level: 'trace', stream: { write: (line: string) => void lines.push(line) } },
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => 'r-1',
    childLoggerFactory: (server, names) => {
      const counted = Object.create(server) as FastifyBaseLogger
      counted.child = (...how) => {
        made += 1
        return server.child(...how)
      }
      return requestLogger(counted, names)
    },
  })
  app.get('/', (request) => ({ seen: act(request.log) }))
  const { statusCode } = await app.inject('/')
  await app.close()
  return { statusCode, made, lines: lines.map((line) => JSON.parse(line) as Record<string, unknown>) }
}

test('a request that logs nothing makes no logger', async () => {
  expect(await answerWith(() => 1)).toEqual({ statusCode: 200, made: 0, lines: [] })
})

test('all lines of a request name it, by one logger', async () => {
  const { made, lines } = await answerWith((log) => {
    for (const level of LEVELS) log[level]({ level_name: level }, 'said')
    log.silent('nowhere')
    log.child({ part: 'a' }).info('of a part')
    return log.level
  })
  expect(made).toBe(1)
  expect(lines).toMatchObject([
    ...LEVELS.map((level) => ({ reqId: 'r-1', level_name: level, msg: 'said' })),
    { reqId: 'r-1', part: 'a', msg: 'of a part' },
  ])
})
