// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Test} from "forge-std/Test.sol";
import {TestUSDG} from "../src/local/TestUSDG.sol";
import {Vault} from "../src/Vault.sol";

/// A vault with its owner, its relayer and a player.
abstract contract VaultTest is Test {
    address internal constant ETH = address(0);

    address internal owner = makeAddr("owner");
    address internal relayer = makeAddr("relayer");
    address internal player;
    uint256 internal playerKey;

    TestUSDG internal usdg;
    Vault internal vault;

    function setUp() public virtual {
        vm.warp(1_800_000_000);
        (player, playerKey) = makeAddrAndKey("player");
        usdg = new TestUSDG(owner);
        vault = new Vault(owner, relayer, usdg);
        give(player, 1_000 ether, 1_000_000e6);
    }

    function give(address to, uint256 eth, uint256 dollars) internal {
        vm.deal(to, to.balance + eth);
        vm.prank(owner);
        usdg.mint(to, dollars);
        vm.prank(to);
        usdg.approve(address(vault), type(uint256).max);
    }

    function depositAs(address from, address token, uint256 amount) internal {
        vm.prank(from);
        vault.deposit{value: token == ETH ? amount : 0}(token, amount);
    }

    function fundAs(address from, address token, uint256 amount) internal {
        vm.prank(from);
        vault.fund{value: token == ETH ? amount : 0}(token, amount);
    }

    function digest(address of_, address token, uint256 amount, uint256 nonce) internal view returns (bytes32) {
        return digestFor(address(vault), block.chainid, of_, token, amount, nonce);
    }

    /// Returns the EIP-712 digest, written out from the published type and domain.
    function digestFor(address vault_, uint256 chainId, address of_, address token, uint256 amount, uint256 nonce)
        internal
        pure
        returns (bytes32)
    {
        bytes32 domain = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256("FairhouseVault"),
                keccak256("1"),
                chainId,
                vault_
            )
        );
        bytes32 typeHash = keccak256("Withdraw(address player,address token,uint256 amount,uint256 nonce)");
        bytes32 message = keccak256(abi.encode(typeHash, of_, token, amount, nonce));
        return keccak256(abi.encodePacked("\x19\x01", domain, message));
    }

    function sign(uint256 key, bytes32 hash) internal pure returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, hash);
        return abi.encodePacked(r, s, v);
    }

    /// Signs a permit for the vault whose deadline is the current time.
    function permit(uint256 amount) internal view returns (uint8 v, bytes32 r, bytes32 s) {
        bytes32 typeHash =
            keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");
        bytes32 message =
            keccak256(abi.encode(typeHash, player, address(vault), amount, usdg.nonces(player), block.timestamp));
        return vm.sign(playerKey, keccak256(abi.encodePacked("\x19\x01", usdg.DOMAIN_SEPARATOR(), message)));
    }

    function withdrawAs(address of_, uint256 key, address token, uint256 amount) internal {
        uint256 nonce = vault.nonces(of_);
        bytes memory signature = sign(key, digest(of_, token, amount, nonce));
        vm.prank(relayer);
        vault.withdraw(of_, token, amount, nonce, signature);
    }

    function balanceOf(address account, address token) internal view returns (uint256) {
        return token == ETH ? account.balance : usdg.balanceOf(account);
    }
}
