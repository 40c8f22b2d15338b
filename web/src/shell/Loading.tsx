import { Card } from '../ui/Card'
import { Skeleton } from '../ui/Skeleton'

/** A page whose code is on its way. */
export function Loading() {
  return (
    <>
      <header className="pagebar">
        <div className="skeleton" style={{ width: 130, height: 18 }} />
      </header>
      <main className="content" id="content">
        <Card>
          <Skeleton lines={6} />
        </Card>
      </main>
    </>
  )
}
