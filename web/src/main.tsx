import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { clearCalls } from './api/calls'
import { queryClient } from './api/query-client'
import { language } from './language/chosen'
import { router } from './routes'
import './styles/index.css'

router.subscribe('onBeforeNavigate', ({ pathChanged }) => {
  if (pathChanged) clearCalls()
})

document.documentElement.lang = language.locale
document.documentElement.dir = language.direction

const host = document.getElementById('root')
if (host === null) throw new Error('index.html has no #root')
createRoot(host).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)
