// The variable names the addon to test, and every addon of its kind reads it. So the others are loaded without it.
import { env } from 'node:process'

const { NAPI_RS_NATIVE_LIBRARY_PATH: addon } = env
delete env['NAPI_RS_NATIVE_LIBRARY_PATH']
await import('@node-rs/argon2')
if (addon !== undefined) env['NAPI_RS_NATIVE_LIBRARY_PATH'] = addon
