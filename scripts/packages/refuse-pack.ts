// npm runs this before it packs a package's sources, which run only in the checkout.
process.stderr.write(
  'These are sources. From the root of the checkout, npm run pack builds the packages and writes them to packed/.\n',
)
process.exitCode = 1
