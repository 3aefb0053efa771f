// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";

/// @title USDG for tests and local play
/// @notice Has six decimals. Like the real token's owner, its owner can mint, pause everything and freeze
/// accounts.
contract TestUSDG is ERC20, ERC20Permit, Ownable, Pausable {
    mapping(address account => bool) public isFrozen;

    error Frozen(address account);

    constructor(address owner_) ERC20("Global Dollar", "USDG") ERC20Permit("Global Dollar") Ownable(owner_) {}

    function decimals() public pure override returns (uint8) {
        return 6;
    }

    function mint(address to, uint256 amount) external onlyOwner {
        _mint(to, amount);
    }

    function setFrozen(address account, bool frozen) external onlyOwner {
        isFrozen[account] = frozen;
    }

    function pause() external onlyOwner {
        _pause();
    }

    function unpause() external onlyOwner {
        _unpause();
    }

    function _update(address from, address to, uint256 amount) internal override whenNotPaused {
        require(!isFrozen[from], Frozen(from));
        require(!isFrozen[to], Frozen(to));
        super._update(from, to, amount);
    }
}
