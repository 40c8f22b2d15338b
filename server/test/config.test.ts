// The configuration is refused before anything starts, by the name of the setting.
import { describe, expect, test } from 'vitest'
import { ConfigError, readConfig } from '../src/config.js'
import { helpText, wantsHelp } from '../src/config/report.js'

describe('readConfig', () => {
  test('has defaults that are safe', () => {
    expect(readConfig([], {})).toMatchObject({
      host: '127.0.0.1',
      port: 7373,
      auth: true,
      logLevel: 'info',
      environment: 'development',
      io: 'auto',
      importPatienceMs: 600_000,
    })
  })

  test('memory is a share unless bytes are given', () => {
    expect(readConfig([], {})).toMatchObject({
      memoryBytes: undefined,
      requestBytes: undefined,
      requestPatienceMs: 5000,
    })
    const given = { TESSERA_MEMORY_BYTES: '2097152', TESSERA_REQUEST_BYTES: 'auto', TESSERA_REQUEST_PATIENCE: '1s' }
    expect(readConfig([], given)).toMatchObject({
      memoryBytes: 2_097_152,
      requestBytes: undefined,
      requestPatienceMs: 1000,
    })
  })

  test('takes paths with ":" between them', () => {
    expect(readConfig([], {}).clustersFile).toBeUndefined()
    expect(readConfig([], { TESSERA_CLUSTERS: '/etc/clusters.json' }).clustersFile).toBe('/etc/clusters.json')
    expect(readConfig([], {}).devicePaths).toEqual([])
    expect(readConfig([], { TESSERA_DEVICES: '/mnt/a:/dev/sdb' }).devicePaths).toEqual(['/mnt/a', '/dev/sdb'])
  })

  test('is served to other machines over TLS, or plainly if somebody says so', () => {
    const outside = ['--host', '0.0.0.0']
    expect(() => readConfig(outside, {})).toThrow('TESSERA_TLS_CERT')
    expect(readConfig(outside, { TESSERA_PLAIN_HTTP: 'true' }).plainHttp).toBe(true)
    const tls = { TESSERA_TLS_CERT: '/c.pem', TESSERA_TLS_KEY: '/k.pem' }
    expect(readConfig(outside, tls)).toMatchObject({ tlsCertificate: '/c.pem', tlsKey: '/k.pem', plainHttp: false })
    expect(readConfig(['--no-auth'], { TESSERA_SOCKET: '/run/t.sock', TESSERA_HOST: '10.0.0.1' }).socket).toBe(
      '/run/t.sock',
    )
  })

  test.each(['', '/tessera', '/apps/tessera-1.2', '/~ada/db_2'])('takes the path "%s"', (path) => {
    expect(readConfig([], { TESSERA_BASE_PATH: path }).basePath).toBe(path)
  })

  test('takes lists with "," between their items', () => {
    const config = readConfig([], {
      TESSERA_HOSTS: 'db.example.com, [::1]',
      TESSERA_TRUSTED_PROXIES: '10.0.0.0/8,::1,fd00::/8',
      TESSERA_CORS_ORIGINS: 'https://app.example.com, http://localhost:3000,http://[::1]:8080',
    })
    expect(config).toMatchObject({
      hosts: ['db.example.com', '[::1]'],
      trustedProxies: ['10.0.0.0/8', '::1', 'fd00::/8'],
      corsOrigins: ['https://app.example.com', 'http://localhost:3000', 'http://[::1]:8080'],
    })
  })

  test('flags win over variables', () => {
    const config = readConfig(['--port', '0', '--data', '/d', '--no-auth'], {
      TESSERA_PORT: '8080',
      TESSERA_DATA_DIR: '/e',
    })
    expect(config).toMatchObject({ port: 0, dataDirectory: '/d', auth: false })
  })

  test.each([
    [['--port', '70000'], {}, '--port'],
    [['--port', '1e3'], {}, '--port'],
    [['--port', ''], {}, '--port'],
    [['--host', ''], {}, '--host'],
    [['--data', ''], {}, '--data'],
    [['--colour', 'red'], {}, '--colour'],
    [['extra'], {}, 'extra'],
    [[], { TESSERA_PORT: 'http' }, 'TESSERA_PORT'],
    [[], { TESSERA_TRACES_ENDPOINT: 'collector:4318' }, 'TESSERA_TRACES_ENDPOINT'],
    [[], { TESSERA_TRACES_ENDPOINT: 'http://me:secret@collector' }, 'TESSERA_TRACES_ENDPOINT'],
    [[], { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector?a' }, 'OTEL_EXPORTER_OTLP_ENDPOINT'],
    [[], { TESSERA_TRACES_SAMPLE: '1.5' }, 'TESSERA_TRACES_SAMPLE'],
    [[], { TESSERA_TRACES_SAMPLE: '1e-3' }, 'TESSERA_TRACES_SAMPLE'],
    [[], { TESSERA_TLS_CERT: '/c.pem' }, 'TESSERA_TLS_KEY'],
    [[], { TESSERA_TLS_KEY: '/k.pem' }, 'TESSERA_TLS_CERT'],
    [[], { TESSERA_TLS_CERT: 'c.pem', TESSERA_TLS_KEY: '/k.pem' }, 'TESSERA_TLS_CERT'],
    [[], { TESSERA_TLS_CLIENT_CA: '/ca.pem' }, 'TESSERA_TLS_CLIENT_CA'],
    [[], { TESSERA_PLAIN_HTTP: 'yes' }, 'TESSERA_PLAIN_HTTP'],
    [[], { TESSERA_HOSTS: 'db.example.com:7373' }, 'TESSERA_HOSTS'],
    [[], { TESSERA_HOSTS: 'a,,b' }, 'TESSERA_HOSTS'],
    [[], { TESSERA_TRUSTED_PROXIES: '10.0.0.0/33' }, 'TESSERA_TRUSTED_PROXIES'],
    [[], { TESSERA_TRUSTED_PROXIES: 'proxy.local' }, 'TESSERA_TRUSTED_PROXIES'],
    [[], { TESSERA_TRUSTED_PROXIES: '::/0/0' }, 'TESSERA_TRUSTED_PROXIES'],
    ...[
      '*',
      'null',
      'app.example.com',
      'https://app.example.com/',
      'https://*.example.com',
      'HTTPS://a',
      'ftp://a',
      'https://a,',
    ].map((origins): [string[], Record<string, string>, string] => [
      [],
      { TESSERA_CORS_ORIGINS: origins },
      'TESSERA_CORS_ORIGINS',
    ]),
    ...[
      'tessera',
      '/',
      '/a/',
      '/a//b',
      '/../a',
      '/a b',
      '/a?b',
      '/%61',
      `/${'a'.repeat(200)}`,
      '/api',
      '/v1/a',
      '/docs',
    ].map((path): [string[], Record<string, string>, string] => [[], { TESSERA_BASE_PATH: path }, 'TESSERA_BASE_PATH']),
    [['--no-auth'], { TESSERA_CORS_ORIGINS: 'https://a' }, 'TESSERA_CORS_ORIGINS'],
    [[], { TESSERA_PORT: '-1' }, 'TESSERA_PORT'],
    [[], { TESSERA_COLOUR: 'red' }, 'TESSERA_COLOUR'],
    [[], { TESSERA_LOG_LEVEL: 'loud' }, 'TESSERA_LOG_LEVEL'],
    [[], { TESSERA_LOG_REQUESTS: 'all' }, 'TESSERA_LOG_REQUESTS'],
    [[], { TESSERA_NO_AUTH: 'yes' }, 'TESSERA_NO_AUTH'],
    [[], { TESSERA_ENVIRONMENT: 'prod' }, 'TESSERA_ENVIRONMENT'],
    [[], { TESSERA_BODY_LIMIT_BYTES: '12' }, 'TESSERA_BODY_LIMIT_BYTES'],
    [[], { TESSERA_BODY_TIMEOUT_MS: '0' }, 'TESSERA_BODY_TIMEOUT_MS'],
    [[], { TESSERA_THREADS: '129' }, 'TESSERA_THREADS'],
    [[], { TESSERA_IMPORT_PATIENCE: '600' }, 'TESSERA_IMPORT_PATIENCE'],
    [[], { TESSERA_IMPORT_PATIENCE: '25h' }, 'TESSERA_IMPORT_PATIENCE'],
    [[], { TESSERA_IO: 'uring' }, 'TESSERA_IO'],
    [[], { TESSERA_STREAMS: '0' }, 'TESSERA_STREAMS'],
    [[], { TESSERA_STREAM_BYTES: '1000' }, 'TESSERA_STREAM_BYTES'],
    [[], { TESSERA_UNREAD_BYTES: '1000' }, 'TESSERA_UNREAD_BYTES'],
    [[], { TESSERA_READER_PATIENCE: 'long' }, 'TESSERA_READER_PATIENCE'],
    [[], { TESSERA_DRAIN: '61s' }, 'at most 60s'],
    [[], { TESSERA_OVERLOAD_DELAY: '50' }, 'TESSERA_OVERLOAD_DELAY'],
    [[], { TESSERA_LOOP_ALARM: '2m' }, 'at most 60s'],
    [[], { TESSERA_MEMORY_BYTES: '1000' }, 'TESSERA_MEMORY_BYTES'],
    [[], { TESSERA_REQUEST_BYTES: 'much' }, 'TESSERA_REQUEST_BYTES'],
    [[], { TESSERA_REQUEST_PATIENCE: '2m' }, 'at most 60s'],
    [[], { TESSERA_DEVICES: '/a:b' }, 'TESSERA_DEVICES'],
    [[], { TESSERA_DEVICES: '/a:' }, 'TESSERA_DEVICES'],
    [[], { TESSERA_CLUSTERS: 'clusters.json' }, 'TESSERA_CLUSTERS'],
    [[], { TESSERA_BACKUP_TARGETS: 'targets.json' }, 'TESSERA_BACKUP_TARGETS'],
  ])('refuses %j %j', (args, environment, named) => {
    expect(() => readConfig(args, environment)).toThrow(ConfigError)
    expect(() => readConfig(args, environment)).toThrow(named)
  })

  test.each(['0.0.0.0', '192.168.1.4', '::', 'example.com', '127.0.0.1.example.com'])(
    'refuses to drop authentication on %s',
    (host) => {
      expect(() => readConfig(['--no-auth', '--host', host], {})).toThrow('loopback')
    },
  )

  test.each(['127.0.0.1', '127.1.2.3', '::1', 'localhost'])('lets it be dropped on %s', (host) => {
    expect(readConfig(['--no-auth', '--host', host], {}).auth).toBe(false)
  })
})

test.each([
  [{}, undefined],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }, undefined],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a:4318' }, 'http://a:4318'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a:4318', TESSERA_TRACES_ENDPOINT: 'https://b/otlp' }, 'https://b/otlp'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a:4318', TESSERA_TRACES_ENDPOINT: '' }, undefined],
])('traces with %j go to %s', (variables, endpoint) => {
  expect(readConfig([], variables).tracesEndpoint).toBe(endpoint)
})

test('--help lists every setting', () => {
  expect(wantsHelp(['--help'])).toBe(true)
  expect(helpText()).toContain('TESSERA_BODY_TIMEOUT_MS')
})
