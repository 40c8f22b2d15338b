import type { SearchSchemaInput } from '@tanstack/react-router'
import { isWindowName, type WindowName } from '../../../live/window'

export interface DeviceSearch {
  window: WindowName
}

export function readDeviceSearch(raw: Partial<DeviceSearch> & SearchSchemaInput): DeviceSearch {
  return { window: isWindowName(raw.window) ? raw.window : '5m' }
}
