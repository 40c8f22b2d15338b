// A worker with the addon to test: as in `addon.ts`, others are loaded without the variable.
import { env } from 'node:process'

const { NAPI_RS_NATIVE_LIBRARY_PATH: addon } = env
delete env.NAPI_RS_NATIVE_LIBRARY_PATH
await import('@node-rs/argon2')
if (addon !== undefined) env.NAPI_RS_NATIVE_LIBRARY_PATH = addon
await import('../../dist/workers/main.js')
