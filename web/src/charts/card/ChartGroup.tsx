import { useState, type ReactNode } from 'react'
import { ChartLink, LinkContext } from './link'

/** Charts with the same x: their crosshair and zoom are one. */
export function ChartGroup({ link, children }: { link?: ChartLink; children: ReactNode }) {
  const [own] = useState(() => new ChartLink())
  return <LinkContext value={link ?? own}>{children}</LinkContext>
}
