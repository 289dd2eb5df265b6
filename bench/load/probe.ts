// Preloaded into a server: reports the processor time and memory that the process has used.
process.on('message', (message) => {
  if (message === 'cpu') process.send?.(process.cpuUsage())
  if (message === 'memory') process.send?.(process.memoryUsage.rss())
  if (message === 'peak') process.send?.(process.resourceUsage().maxRSS * 1024)
})
process.once('disconnect', () => process.exit(0))
