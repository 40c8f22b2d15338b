import { Tabs as Base } from '@base-ui/react/tabs'
import type { ComponentProps, ReactNode } from 'react'

interface Props {
  /** the value of the tab that is shown */
  shown: number
  onShow: (value: number) => void
  children: ReactNode
}

/** Tabs and their panels. The arrows, Home and End go from tab to tab and show its panel. */
export function Tabs({ shown, onShow, children }: Props) {
  return (
    <Base.Root className="tab-group" value={shown} onValueChange={(value: number) => onShow(value)}>
      {children}
    </Base.Root>
  )
}

/** The tabs, side by side. They need an accessible name. */
export function TabList(props: ComponentProps<typeof Base.List> & { 'aria-label': string }) {
  return <Base.List activateOnFocus {...props} />
}

export const Tab = Base.Tab

/** What a tab shows. It keeps its state while another is shown, and is itself no stop of the Tab key. */
export function TabPanel({ value, children }: { value: number; children: ReactNode }) {
  return (
    <Base.Panel value={value} keepMounted tabIndex={undefined}>
      {children}
    </Base.Panel>
  )
}
