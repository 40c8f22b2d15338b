import { Card } from '../ui/Card'
import { Skeleton } from '../ui/Skeleton'

/** Shown while the code of a page loads. */
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
