// Loaded before a server's own code: tells the bench how much processor time the process has used.
process.on('message', (message) => {
  if (message === 'cpu') process.send?.(process.cpuUsage())
})
process.once('disconnect', () => process.exit(0))
