// Who comes for the first time, to the bare address, is led to the first lesson. In the head of every page, before all else.
{
  const BEEN_HERE = "respec:visited"; // as keep() of keeping.js would have it
  const path = location.pathname.replace(/\/$/, ""); // below another one it may come without its slash
  const page = path.slice(path.lastIndexOf("/") + 1);
  const bare = !location.search && !location.hash && !["compare", "lab", "learn", "replay"].includes(page);
  try {
    if (window.top === window) {
      const before = localStorage.getItem(BEEN_HERE) !== null;
      localStorage.setItem(BEEN_HERE, "true");
      if (bare && !before) location.replace(`${path}/learn?lesson=cost`);
    }
  } catch {
    // nothing is kept here: whoever comes is at home
  }
}
