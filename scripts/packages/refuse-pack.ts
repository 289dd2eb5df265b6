// npm runs this before it would pack a package's sources, which nobody else can run.
process.stderr.write(
  'What npm gets is built: from the root of the checkout, npm run pack writes the packages to packed/.\n',
)
process.exitCode = 1
