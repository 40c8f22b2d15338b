import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { install } from './python.ts'

const wanted = fileURLToPath(new URL('../s3/requirements.txt', import.meta.url))

/** An S3 server that keeps its objects in memory. */
export interface S3Server {
  readonly url: string
  stop(): Promise<void>
}

/** Starts one on a free port. */
export async function startS3(): Promise<S3Server> {
  const programs = await install('s3', wanted)
  const child = spawn(join(programs, 'moto_server'), ['-H', '127.0.0.1', '-p', '0'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, PYTHONUNBUFFERED: '1', PYTHONDONTWRITEBYTECODE: '1' },
  })
  const url = await addressOf(child)
  return {
    url,
    stop: async () => {
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
  }
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const collect = (chunk: Buffer): void => {
      text += chunk.toString()
      const found = /Running on (http:\/\/127\.0\.0\.1:\d+)/.exec(text)?.[1]
      if (found !== undefined) resolve(found)
    }
    child.stdout?.on('data', collect)
    child.stderr?.on('data', collect)
    child.once('exit', (code) => reject(new Error(`the S3 server ended with ${code}:\n${text}`)))
    child.once('error', reject)
  })
}
