// The script of the offline page. Its address is still the one that was asked for, so a reload returns there.
const reload = () => location.reload()
document.getElementById('again')?.addEventListener('click', reload)
addEventListener('online', reload)
