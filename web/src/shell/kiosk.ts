import { useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { withoutBase } from '../base-path'

/** What the address of every page keeps of the kiosk: a page on a wall, without navigation and forms. */
export interface KioskSearch {
  kiosk?: true | undefined
}

export const readKioskSearch = ({ kiosk }: Record<string, unknown>): KioskSearch => (kiosk === true ? { kiosk } : {})

export const useKiosk = (): boolean => useSearch({ strict: false, select: ({ kiosk }) => kiosk === true })

/** The page that is open, as a kiosk. */
export function kioskAddress(): string {
  const { pathname, search, hash } = location
  const asked = new URLSearchParams(search)
  asked.set('kiosk', 'true')
  return `${withoutBase(pathname)}?${asked.toString()}${hash}`
}

/** Keeps the screen on, where the browser can. It takes the lock away while the page is hidden. */
export function useScreenOn(on: boolean): void {
  useEffect(() => {
    if (!on || !('wakeLock' in navigator)) return
    let lock: WakeLockSentinel | undefined
    let left = false
    const take = async (): Promise<void> => {
      if (document.visibilityState !== 'visible') return
      try {
        lock = await navigator.wakeLock.request('screen')
        if (left) await lock.release()
      } catch {
        // The machine is low on power, or its owner does not want it.
      }
    }
    const onChange = () => void take()
    onChange()
    document.addEventListener('visibilitychange', onChange)
    return () => {
      left = true
      document.removeEventListener('visibilitychange', onChange)
      void lock?.release()
    }
  }, [on])
}
