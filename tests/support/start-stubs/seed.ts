process.stderr.write("seed: creating the first user\n");
process.stdout.write(`${JSON.stringify({ apiKey: "sk-stub", userEmail: "first@localhost" })}\n`);
